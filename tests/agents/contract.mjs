// What every answer of the tools has to be, and the calls that bring about each of them. A call that
// names a device is of the room, whose tools have a contract of their own.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inflateSync } from 'node:zlib'

import { expect, need } from './report.mjs'

const at = (name) => fileURLToPath(new URL(name, import.meta.url))

export const photoPath = at('data/coffee.jpg')
const photoBase64 = readFileSync(photoPath).toString('base64')

const { successes, failures } = JSON.parse(readFileSync(at('calls.json'), 'utf8'), (_, value) => {
  if (value === '$PHOTO_PATH') return photoPath
  if (value === '$PHOTO_BASE64') return photoBase64
  return value
})
export { failures, successes }

/** The upload that is watched and broken off. */
export const upload = successes.find((call) => call.tool === 'upload_image')

/** Every tool that is offered has a call, and every call its tool. */
export function needEveryTool(tools) {
  const offered = tools.map((tool) => tool.name).sort()
  const called = [...new Set(successes.map((call) => call.tool))].sort()
  expect(offered, called, 'tools that are offered, and those that calls.json calls')
}

/** An answer that says that the call was done. */
export function needSuccess(call, answer) {
  if ('device_id' in (call.arguments ?? {})) needDone(call, answer)
  else needOk(call, answer)
}

/** A sentence, and what is known as an object. */
function needDone({ arguments: { device_id }, data, says, photo }, answer) {
  need(!answer.isError, 'no isError', answer)
  const known = answer.structuredContent
  expect(known.device_id, device_id, 'the device')
  need(['accepted', 'confirmed'].includes(known.outcome), 'accepted or confirmed', known)
  for (const key of data) need(key in known.reply, `"${key}" in the reply`, known.reply)
  const texts = answer.content.filter((part) => part.type === 'text').map((part) => part.text)
  need(texts.length > 0 && texts[0].includes(says ?? ''), `"${says}" in the text`, texts)
  const images = answer.content.filter((part) => part.type === 'image')
  expect(images.length, photo ? 1 : 0, 'pictures in the content')
  if (!photo) return
  expect([known.reply.width, known.reply.height], [photo.width, photo.height], 'the size of the picture')
  expect(images[0].mimeType, 'image/jpeg', 'the type of the picture')
  const start = Buffer.from(images[0].data, 'base64').subarray(0, 2).toString('hex')
  expect(start, 'ffd8', 'the first bytes of the JPEG')
}

/** One object, as text and as it is. */
function needOk({ tool, data, picture }, answer) {
  need(!answer.isError, 'no isError', answer)
  const object = contractObject(answer)
  need(object.ok === true && object.tool === tool, `{"ok": true, "tool": "${tool}", "data": {...}}`, object)
  for (const key of data) need(key in object.data, `"${key}" in the data`, object.data)
  const pictures = answer.content.filter((part) => part.type === 'image')
  expect(pictures.length, picture ? 1 : 0, 'pictures in the content')
  if (picture) needPicture(picture, pictures[0])
}

/** An answer that says why the call was not done. */
export function needFailure({ tool, code, says }, answer) {
  need(answer.isError === true, 'isError', answer)
  const object = contractObject(answer)
  need(object.ok === false && object.tool === tool, `{"ok": false, "tool": "${tool}", ...}`, object)
  const { error } = object
  expect(error.code, code, `the code (${error.message})`)
  need(error.message.length > 0 && error.hint.length > 0, 'a message and a hint', error)
  const text = `${error.message} ${error.hint}`
  need(text.toLowerCase().includes(says), `"${says}" in message or hint`, text)
}

/** An error of the protocol, as a client shows it. */
export function needError({ code, says }, { answer, error }) {
  need(error, 'an error', answer)
  // Clients differ in where they have the code, but each shows it.
  need(error.message.includes(String(code)), `${code} in the message`, error.message)
  need(error.message.toLowerCase().includes(says), `"${says}" in the message`, error.message)
}

/** Progress that somebody can watch: it only grows, and says in words what is done. */
export function needProgress(reports) {
  need(reports.length >= 3, 'three reports of progress or more', reports)
  for (const [at, report] of reports.entries()) {
    const before = at === 0 ? -1 : reports[at - 1].progress
    need(report.progress > before, 'progress that only grows', reports)
    need(typeof report.message === 'string' && /[a-z]{3}/i.test(report.message), 'words with each report', report)
    need(report.total === undefined || report.progress <= report.total, 'no progress beyond the total', report)
  }
}

/** The one object, which the text holds too. */
function contractObject(answer) {
  const [first] = answer.content
  need(first?.type === 'text', 'a text first', answer)
  const object = JSON.parse(first.text)
  expect(answer.structuredContent, object, 'the structured content, beside the text')
  return object
}

function needPicture({ width, height, bytes }, part) {
  expect(part.mimeType, 'image/png', 'the type of the picture')
  const file = Buffer.from(part.data, 'base64')
  need(file.length <= bytes, `${bytes} bytes at most`, file.length)
  const png = decode(file)
  expect([png.width, png.height], [width, height], 'the size of the picture')
}

/** Reads a PNG far enough to know that every row of it is there. */
function decode(file) {
  const signature = '89504e470d0a1a0a'
  need(file.subarray(0, 8).toString('hex') === signature, 'a PNG', file.subarray(0, 8).toString('hex'))
  let at = 8
  let header
  const parts = []
  while (at + 12 <= file.length) {
    const length = file.readUInt32BE(at)
    const kind = file.toString('latin1', at + 4, at + 8)
    const body = file.subarray(at + 8, at + 8 + length)
    if (kind === 'IHDR') header = body
    if (kind === 'IDAT') parts.push(body)
    at += 12 + length
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[header[9]]
  const row = 1 + Math.ceil((width * samples * header[8]) / 8)
  expect(inflateSync(Buffer.concat(parts)).length, row * height, 'bytes of the rows of the PNG')
  return { width, height }
}
