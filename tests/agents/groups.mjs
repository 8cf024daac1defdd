// What is tried: each group is one client over one transport, or one subject, and has a program of
// its own.

import * as python from './python.mjs'
import * as conformance from './conformance.mjs'
import * as curl from './curl.mjs'
import * as inspector from './inspector.mjs'
import * as schemas from './schemas.mjs'
import * as together from './together.mjs'
import * as typescript from './typescript.mjs'
import * as versions from './versions.mjs'
import { runAll } from './client.mjs'
import { freshFolder, startHttp, stdioCommand } from './regie.mjs'
import { need } from './report.mjs'
import { startProxy } from './token_proxy.mjs'

/** Name, and what runs its checks into a report; those that take longest come first. */
export const GROUPS = [
  // Beside a server that has the engine, which each of the Inspector's many programs joins.
  ['Inspector over stdio', (report) =>
    overHttp(report, ({ folder }) => runAll(report, inspector.overStdio(stdioCommand(folder)), folder))],
  ['Inspector over HTTP', (report) =>
    behindProxy(report, (proxy, server) => runAll(report, inspector.overHttp(proxy), server.folder))],
  ['Python SDK, stateless, over HTTP', (report) =>
    overHttp(report, (server) => python.run(report, 'http', '2026-07-28', server))],
  ['Python SDK, stateless, over stdio', (report) =>
    python.run(report, 'stdio', '2026-07-28', onPipes(report.group))],
  ['Python SDK, with handshake, over HTTP', (report) =>
    overHttp(report, (server) => python.run(report, 'http', '2025-11-25', server))],
  ['Python SDK, with handshake, over stdio', (report) =>
    python.run(report, 'stdio', '2025-11-25', onPipes(report.group))],
  ['TypeScript SDK over HTTP', (report) =>
    overHttp(report, (server) => connected(report, () => typescript.overHttp(server), whole(report, server.folder)))],
  ['TypeScript SDK over stdio', (report) => throughPipes(report, typescript.overStdio, whole(report))],
  ['curl over HTTP', (report) =>
    overHttp(report, async (server) => {
      await curl.checkDoor(report, server)
      await runAll(report, curl.overHttp(server), server.folder)
    })],
  ['protocol versions', (report) =>
    overHttp(report, async (server) => {
      await versions.overHttp(report, server)
      await versions.overStdio(report, onPipes('versions'))
    })],
  ['two agents at once', (report) =>
    overHttp(report, (server) =>
      connected(report, () => typescript.overHttp(server), (first) =>
        connected(report, () => typescript.overStdio(stdioCommand(server.folder)), (second) =>
          together.run(report, first, second))))],
  ['definitions', (report) =>
    throughPipes(report, typescript.overStdio, async (client) => schemas.checkAll(report, await client.tools()))],
  ...conformance.versions.map((version) => [`conformance ${version}`, (report) =>
    behindProxy(report, (proxy) => conformance.run(report, version, proxy.url))]),
]

function whole(report, folder) {
  return (client, own) => runAll(report, client, folder ?? own)
}

/** A program with an HTTP server for the time of a group. It has to end well, too. */
async function overHttp(report, run) {
  const server = await report.check('the server starts', () => startHttp(freshFolder(report.group)))
  if (!server) return
  try {
    await run(server)
  } finally {
    await report.check('the server ends when it is told to', async () => {
      const how = await server.end()
      need(how === 0, 'exit code 0', how)
    })
  }
}

function behindProxy(report, run) {
  return overHttp(report, async (server) => {
    const proxy = await startProxy(server)
    try {
      await run(proxy, server)
    } finally {
      proxy.end()
    }
  })
}

/** A program that the client itself starts. */
function throughPipes(report, connect, run) {
  const command = onPipes(report.group)
  return connected(report, () => connect(command), (client) => run(client, command.folder))
}

function onPipes(group) {
  const folder = freshFolder(group)
  return { ...stdioCommand(folder), folder }
}

async function connected(report, connect, run) {
  const client = await report.check('the client connects', async () => connect())
  if (!client) return
  try {
    await run(client)
  } finally {
    await report.check('the client ends', async () => client.close())
  }
}
