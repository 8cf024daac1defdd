// curl, as a program calls that knows of JSON-RPC and of a bearer token, and nothing of MCP.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, need } from './report.mjs'

const CALL_LIMIT_S = 45

export function overHttp({ url, token }) {
  let id = 0
  async function ask(method, params) {
    id += 1
    const request = { jsonrpc: '2.0', id: `req-${id}`, method, params }
    const answer = await post(url, JSON.stringify(request), { Authorization: `Bearer ${token}` })
    expect(answer.status, 200, 'the status')
    need(answer.type.startsWith('application/json'), 'plain JSON', answer.type)
    const { jsonrpc, id: echoed, result, error } = JSON.parse(answer.body)
    expect([jsonrpc, echoed], ['2.0', request.id], 'version and id')
    if (error) throw new Error(`${error.code} ${error.message}`)
    return result
  }
  return {
    ask,
    tools: async () => (await ask('tools/list', undefined)).tools,
    call: (name, args) => ask('tools/call', { name, arguments: args }),
    close: () => {},
  }
}

/** One POST; the body goes in by a pipe, the status and the type come after the answer. */
export async function post(url, body, headers) {
  const lines = Object.entries({ 'Content-Type': 'application/json', ...headers })
  const call = [
    ...['--silent', '--show-error', '--noproxy', '*', '--max-time', String(CALL_LIMIT_S)],
    ...['--write-out', '\n%{http_code} %{content_type}', '--data-binary', '@-'],
    ...lines.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    url,
  ]
  const curl = spawn('curl', call, { stdio: ['pipe', 'pipe', 'pipe'] })
  const out = []
  const complaint = []
  curl.stdout.on('data', (bytes) => out.push(bytes))
  curl.stderr.on('data', (bytes) => complaint.push(bytes))
  curl.stdin.on('error', () => {}) // It may answer before it has read everything.
  curl.stdin.end(body)
  const [code] = await once(curl, 'close')
  if (code !== 0) throw new Error(`curl ended with ${code}: ${Buffer.concat(complaint)}`)
  const text = Buffer.concat(out).toString()
  const end = text.lastIndexOf('\n')
  const [status, ...type] = text.slice(end + 1).split(' ')
  return { status: Number(status), type: type.join(' '), body: text.slice(0, end) }
}

/** What a caller meets before it is let in. */
export async function checkDoor(report, { url, token }) {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const refused = async (headers, status) => {
    const answer = await post(url, request, headers)
    expect(answer.status, status, 'the status')
    const { error } = JSON.parse(answer.body)
    need(error?.message, 'a JSON-RPC error', answer.body)
  }
  await report.check('no token is refused', () => refused({}, 401))
  await report.check('a wrong token is refused', () => refused({ Authorization: `Bearer ${token}x` }, 401))
  await report.check('another Host is refused', () =>
    refused({ Authorization: `Bearer ${token}`, Host: 'regie.example' }, 403))
  await report.check('another Origin is refused', () =>
    refused({ Authorization: `Bearer ${token}`, Origin: 'https://regie.example' }, 403))
  await report.check('a body that is too large is refused', async () => {
    const answer = await post(url, 'x'.repeat(17 * 1024 * 1024), { Authorization: `Bearer ${token}` })
    expect(answer.status, 413, 'the status')
  })
}
