// What every client does: the whole contract, once over.
//
// A client is { tools(), call(tool, arguments), close() }, and where it can do that
// watch(tool, arguments, { onprogress, signal }), which calls with a token for progress.

import { failures, needError, needEveryTool, needFailure, needProgress, needSuccess, successes, upload } from './contract.mjs'
import { whileHeld } from './database.mjs'
import { need } from './report.mjs'

/** Once a call is broken off, the next has its answer within this time. */
const USABLE_WITHIN_MS = 20_000

/** Runs all of it; `folder` is the data folder of the program that the client talks to. */
export async function runAll(report, client, folder) {
  const tools = await report.check('every tool is listed and called', async () => {
    const tools = await client.tools()
    needEveryTool(tools)
    return tools
  })
  if (!tools) return
  for (const call of successes) {
    const watched = call.progress && client.watch
    await report.check(`${call.tool} ${watched ? 'is done, and watched' : 'is done'}`, async () => {
      if (!watched) return needSuccess(call, await client.call(call.tool, call.arguments))
      const seen = []
      const answer = await client.watch(call.tool, call.arguments, { onprogress: (report) => seen.push(report) })
      needSuccess(call, answer)
      needProgress(seen)
    })
  }
  for (const call of failures) {
    const run = () => client.call(call.tool, call.arguments)
    await report.check(`${call.tool} fails with ${call.code}`, async () => {
      if (typeof call.code === 'number') return needError(call, await settled(run()))
      needFailure(call, await (call.while ? whileHeld(folder, run) : run()))
    })
  }
  if (client.watch) {
    await report.check('an upload is broken off midway, and the clock is usable', () => breakOff(client))
  }
}

function settled(promise) {
  return promise.then((answer) => ({ answer }), (error) => ({ error }))
}

async function breakOff(client) {
  const ending = new AbortController()
  const seen = []
  const onprogress = (report) => {
    seen.push(report)
    // Under way, and not yet sent.
    if (report.progress > 0 && /\d+ of \d+/.test(report.message)) ending.abort(new Error('broken off'))
  }
  const outcome = await settled(
    client.watch(upload.tool, { ...upload.arguments, slot: 0 }, { onprogress, signal: ending.signal }),
  )
  need(ending.signal.aborted, 'progress that counts packets before the end', seen)
  need(outcome.error, 'no answer after the notice', outcome.answer)
  const start = Date.now()
  needSuccess(upload, await client.call(upload.tool, upload.arguments))
  need(Date.now() - start < USABLE_WITHIN_MS, `an answer within ${USABLE_WITHIN_MS} ms`, Date.now() - start)
}
