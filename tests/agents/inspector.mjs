// The command line of the Inspector: a program for each call. It has no way to send a token, so
// over HTTP there is a proxy before the server that adds it.

import { execFile } from 'node:child_process'
import { join } from 'node:path'

import { folder as packages } from './packages.mjs'

/** What the Inspector starts when it is given `--cli`. */
const INSPECTOR = join(packages, 'node_modules/@modelcontextprotocol/inspector-cli/build/index.js')
const CALL_LIMIT_MS = 45_000
const MOST_OUTPUT = 4 * 1024 * 1024

export const overHttp = ({ url }) => client([url], process.env)

export const overStdio = ({ command, args, env }) => client([command, ...args], { ...process.env, ...env })

function client(target, env) {
  const ask = (...rest) =>
    new Promise((resolve, reject) => {
      const call = [INSPECTOR, ...target, ...rest]
      const limits = { timeout: CALL_LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: MOST_OUTPUT }
      execFile(process.execPath, call, { env, ...limits }, (error, out, complaint) => {
        if (error) reject(new Error(`the Inspector failed: ${complaint || error.message}`))
        else resolve(JSON.parse(out))
      })
    })
  return {
    tools: async () => (await ask('--method', 'tools/list')).tools,
    call: (name, args) => {
      const given = Object.entries(args).map(([key, value]) => {
        return `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`
      })
      const flags = given.flatMap((pair) => ['--tool-arg', pair])
      return ask('--method', 'tools/call', '--tool-name', name, ...flags)
    },
    close: () => {},
  }
}
