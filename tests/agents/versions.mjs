// Every version of the protocol, word by word, over HTTP and over pipes: what a client of that age
// sends, and what it is owed.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

import { expect, need } from './report.mjs'

const WITH_HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const STATELESS = '2026-07-28'
const CLIENT = { name: 'word-by-word', version: '1' }
const CALL = { name: 'list_templates', arguments: {} }
const ANSWER_LIMIT_MS = 20_000

export async function overHttp(report, { url, token }) {
  for (const version of WITH_HANDSHAKE) {
    await report.check(`${version} over HTTP`, () => withHandshake(version, new HttpPeer(url, token, version)))
  }
  await report.check(`${STATELESS} over HTTP`, () => stateless(new HttpPeer(url, token, STATELESS)))
  await report.check('an unknown version over HTTP', () => unknownVersion(new HttpPeer(url, token, null)))
}

export async function overStdio(report, command) {
  const speak = async (run) => {
    const peer = new StdioPeer(command)
    try {
      await run(peer)
    } finally {
      await peer.close()
    }
  }
  for (const version of WITH_HANDSHAKE) {
    await report.check(`${version} over stdio`, () => speak((peer) => withHandshake(version, peer)))
  }
  await report.check(`${STATELESS} over stdio`, () => speak(stateless))
  await report.check('an unknown version over stdio', () => speak(unknownVersion))
}

async function withHandshake(version, peer) {
  const welcome = await peer.ask('initialize', { protocolVersion: version, capabilities: {}, clientInfo: CLIENT })
  expect(welcome.protocolVersion, version, 'the version that is agreed')
  expect(welcome.serverInfo.name, 'regie', 'the name of the server')
  need(welcome.capabilities.tools, 'tools among the capabilities', welcome)
  peer.agreed = true
  await peer.tell('notifications/initialized')
  expect(await peer.ask('ping', {}), {}, 'the answer to a ping')
  const { tools } = await peer.ask('tools/list', {})
  need(tools.some((tool) => tool.name === CALL.name), `${CALL.name} among the tools`, tools)
  const answer = await peer.ask('tools/call', CALL)
  need(answer.structuredContent?.ok === true, 'a call that is done', answer)
  await needRefusals(peer, {})
}

async function stateless(peer) {
  peer.agreed = true
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': STATELESS,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const found = await peer.ask('server/discover', { _meta })
  need(found.supportedVersions?.includes(STATELESS), `${STATELESS} among the versions`, found)
  need(found.capabilities.tools, 'tools among the capabilities', found)
  const { tools } = await peer.ask('tools/list', { _meta })
  need(tools.some((tool) => tool.name === CALL.name), `${CALL.name} among the tools`, tools)
  const answer = await peer.ask('tools/call', { ...CALL, _meta })
  need(answer.structuredContent?.ok === true, 'a call that is done', answer)
  await needRefusals(peer, { _meta })
  for (const method of ['initialize', 'ping']) {
    const gone = await peer.send(method, { _meta })
    expect(gone.error?.code, -32601, `the code for ${method}, which this version has not (${JSON.stringify(gone)})`)
  }
}

/** An unknown tool and an unknown method are errors of the protocol. */
async function needRefusals(peer, rest) {
  const tool = await peer.send('tools/call', { name: 'upload_imgae', arguments: {}, ...rest })
  expect(tool.error?.code, -32602, `the code for an unknown tool (${JSON.stringify(tool)})`)
  need(tool.error.message.includes('upload_image'), 'the nearest name', tool.error)
  const method = await peer.send('tools/forget', { ...rest })
  expect(method.error?.code, -32601, `the code for an unknown method (${JSON.stringify(method)})`)
}

/** A client from the future is offered a version that the server knows. */
async function unknownVersion(peer) {
  const welcome = await peer.ask('initialize', { protocolVersion: '2099-01-01', capabilities: {}, clientInfo: CLIENT })
  need(WITH_HANDSHAKE.includes(welcome.protocolVersion), `one of ${WITH_HANDSHAKE}`, welcome.protocolVersion)
}

class Peer {
  id = 0
  agreed = false

  async ask(method, params) {
    const answer = await this.send(method, params)
    need(answer.result, `a result of ${method}`, answer)
    return answer.result
  }

  send(method, params) {
    this.id += 1
    return this.exchange({ jsonrpc: '2.0', id: this.id, method, params })
  }
}

class HttpPeer extends Peer {
  constructor(url, token, version) {
    super()
    Object.assign(this, { url, token, version, session: null })
  }

  async exchange(message) {
    const answer = await this.post(message)
    const text = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    if (!type.startsWith('text/event-stream')) return JSON.parse(text)
    const events = text.split('\n').filter((line) => line.startsWith('data:') && line.length > 6)
    return events.map((line) => JSON.parse(line.slice(5))).find((event) => event.id === message.id)
  }

  async tell(method) {
    const answer = await this.post({ jsonrpc: '2.0', method })
    expect(answer.status, 202, 'the status for a notification')
    await answer.arrayBuffer()
  }

  async post(message) {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    }
    // The header came with 2025-06-18, those for the method and the tool with 2026-07-28.
    if (this.agreed && this.version >= '2025-06-18') headers['MCP-Protocol-Version'] = this.version
    if (this.version === STATELESS) {
      headers['Mcp-Method'] = message.method
      if (message.params?.name) headers['Mcp-Name'] = message.params.name
    }
    if (this.session) headers['Mcp-Session-Id'] = this.session
    const signal = AbortSignal.timeout(ANSWER_LIMIT_MS)
    const answer = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify(message), signal })
    this.session ??= answer.headers.get('mcp-session-id')
    return answer
  }
}

class StdioPeer extends Peer {
  constructor({ command, args, env }) {
    super()
    this.child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
    this.waiting = new Map()
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      this.waiting.get(message.id)?.(message)
    })
  }

  async exchange(message) {
    let timer
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to ${message.method}`)), ANSWER_LIMIT_MS)
    })
    const answer = new Promise((resolve) => this.waiting.set(message.id, resolve))
    this.child.stdin.write(`${JSON.stringify(message)}\n`)
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }

  async tell(method) {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`)
  }

  /** It ends by itself, and well, when its input does. */
  async close() {
    const ended = once(this.child, 'exit')
    this.child.stdin.end()
    const timer = setTimeout(() => this.child.kill('SIGKILL'), ANSWER_LIMIT_MS)
    const [code] = await ended
    clearTimeout(timer)
    expect(code, 0, 'the exit code once the input has ended')
  }
}
