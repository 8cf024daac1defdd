// Two agents at once, one over HTTP and one over pipes: both are served by the one program that
// owns the data folder, so each meets what the other did.

import { needSuccess, photoPath } from './contract.mjs'
import { expect, need } from './report.mjs'

export async function run(report, first, second) {
  const upload = { source: photoPath, slot: 1, mono: true }
  await report.check('one shows a picture, the other meets it', async () => {
    done(await first.call('upload_image', upload))
    const seen = done(await second.call('device_status', {}))
    const same = done(await first.call('device_status', {}))
    expect(seen.mac, same.mac, 'the clock that both see')
    need(seen.connected === true, 'the link that the other one made', seen)
    // The slot is filled for the second one too, which has sent nothing.
    done(await second.call('set_mode', { mode: 'image1' }))
  })
  await report.check('both call at once, and both are served', async () => {
    const answers = await Promise.all([
      first.call('upload_image', { ...upload, slot: 2 }),
      second.call('upload_image', { ...upload, slot: 3 }),
      first.call('set_mode', { mode: 'clock1' }),
      second.call('device_status', {}),
    ])
    for (const answer of answers) done(answer)
  })
}

function done(answer) {
  const { tool } = answer.structuredContent ?? {}
  needSuccess({ tool, data: [] }, answer)
  return answer.structuredContent.data
}
