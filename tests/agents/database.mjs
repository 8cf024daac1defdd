// The program's database in somebody else's hands.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { setting } from './settings.mjs'

/** Runs something while another process holds the database of that data folder. */
export async function whileHeld(folder, run) {
  const script = fileURLToPath(new URL('hold_database.py', import.meta.url))
  const holder = spawn(setting('REGIE_AGENTS_PYTHON'), [script, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(holder, 'exit')
  try {
    const first = await Promise.race([once(holder.stdout, 'data'), ended])
    if (!Buffer.isBuffer(first[0])) throw new Error('the database could not be held')
    return await run()
  } finally {
    holder.stdin.end()
    await ended
  }
}
