// The official Python SDK: a process of its own, which tells a line for each check.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

import { need } from './report.mjs'
import { setting } from './settings.mjs'

/** For all its checks. */
const LIMIT_MS = 300_000
const STATELESS = '2026-07-28'

/** Runs all of it; without a handshake for the version that has none. */
export function run(report, transport, version, { url, token, command, args, env, folder }) {
  const mode = version === STATELESS ? 'auto' : 'legacy'
  const script = fileURLToPath(new URL('python_sdk.py', import.meta.url))
  const client = spawn(setting('REGIE_AGENTS_PYTHON'), [script, transport, mode], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', PYTHONWARNINGS: 'ignore' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const kill = () => client.kill('SIGKILL')
  process.once('exit', kill)
  let complaint = ''
  client.stderr.on('data', (bytes) => {
    complaint = (complaint + bytes).slice(-4000)
  })
  client.stdin.end(JSON.stringify({ url, token, command, args, env, folder, version }))
  createInterface({ input: client.stdout }).on('line', (line) => {
    const { check, ok, ms, why } = JSON.parse(line)
    if (ok) report.pass(check, ms)
    else report.fail(check, ms, why)
  })
  const ended = new Promise((resolve) => client.once('close', resolve))
  return report.check('the client ends', async () => {
    const code = await ended
    process.off('exit', kill)
    need(code === 0, 'exit code 0', `${code}: ${complaint}`)
  }, LIMIT_MS)
}
