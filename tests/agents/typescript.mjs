// The official TypeScript SDK. It validates structured content against the output schemas.

import { load } from './packages.mjs'

const { Client } = load('@modelcontextprotocol/sdk/client/index.js')
const { StdioClientTransport } = load('@modelcontextprotocol/sdk/client/stdio.js')
const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js')

/** For one call; the SDK's own minute is less than a real clock may take, but not than these. */
const CALL_LIMIT_MS = 45_000

export const overHttp = ({ url, token }) =>
  connect(new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  }))

export const overStdio = ({ command, args, env }) =>
  connect(new StdioClientTransport({ command, args, env, stderr: 'ignore' }))

async function connect(transport) {
  const client = new Client({ name: 'typescript-sdk', version: '1.32.2' })
  const mishaps = []
  client.onerror = (error) => mishaps.push(error)
  await client.connect(transport)
  const call = (name, args, options) =>
    client.callTool({ name, arguments: args }, undefined, { timeout: CALL_LIMIT_MS, ...options })
  return {
    name: () => client.getServerVersion()?.name,
    tools: async () => (await client.listTools()).tools,
    call: (name, args) => call(name, args),
    watch: call,
    mishaps,
    close: () => client.close(),
  }
}
