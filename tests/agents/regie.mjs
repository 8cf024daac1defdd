// The program under test, each time with a folder of its own and nothing of the person's.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { setting } from './settings.mjs'

/** Until a started program answers. It is a debug build beside others that start. */
const START_LIMIT_MS = 30_000
/** From the wish to end until it has ended. */
const END_LIMIT_MS = 15_000

const running = new Set()

/** A folder for settings and data. */
export function freshFolder(name) {
  const parent = setting('REGIE_AGENTS_FOLDER')
  mkdirSync(parent, { recursive: true })
  return mkdtempSync(join(parent, `${name.replace(/\W+/g, '-')}-`))
}

/** Program, arguments and environment that serve one agent over the program's own pipes. */
export function stdioCommand(folder) {
  return { command: setting('REGIE_PROGRAM'), args: words(folder, ['mcp']), env: environment(folder) }
}

/** Starts the program's HTTP server. */
export async function startHttp(folder) {
  const token = randomBytes(24).toString('base64url')
  const port = await freePort()
  const call = words(folder, ['mcp', '--transport', 'http', '--port', String(port)])
  const child = spawn(setting('REGIE_PROGRAM'), call, {
    env: { ...environment(folder), PPCLOCK_MCP_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  let said = ''
  child.stderr.on('data', (bytes) => {
    said = (said + bytes).slice(-4000)
  })
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  ended.then(() => running.delete(child))
  const origin = `http://127.0.0.1:${port}`
  const deadline = Date.now() + START_LIMIT_MS
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}:\n${said}`)
    if (await answers(`${origin}/health`)) break
    if (Date.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`the program does not answer at ${origin}/health:\n${said}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url: `${origin}/mcp`,
    port,
    token,
    folder,
    /** Ends the program as a system does, and tells how it ended. */
    async end() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
      const how = await ended
      clearTimeout(timer)
      return how
    },
  }
}

/** Ends whatever still runs, when these tests end early. */
export function endAll() {
  for (const child of running) child.kill('SIGKILL')
}

function words(folder, command) {
  return ['--demo', '--rehearsal', '--data-dir', folder, ...command]
}

/** No display, no session bus, no keyring and no token of the person's. */
function environment(folder) {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CACHE_HOME: folder,
    XDG_RUNTIME_DIR: folder,
    TZ: 'Europe/Paris',
    RUST_BACKTRACE: '1',
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}

async function answers(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(1000) })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
