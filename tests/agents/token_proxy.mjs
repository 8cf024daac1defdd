// A proxy that adds the token, for clients that have no way to send one. What else a client sends
// goes through as it is; the Host too, but for the port.

import { createServer, request } from 'node:http'

/** Starts one before a server. */
export async function startProxy({ port, token }) {
  const proxy = createServer((call, answer) => {
    const own = proxy.address().port
    const headers = [...call.rawHeaders]
    for (let at = 0; at < headers.length; at += 2) {
      if (headers[at].toLowerCase() === 'host') headers[at + 1] = headers[at + 1].replace(`:${own}`, `:${port}`)
      if (headers[at].toLowerCase() === 'origin') headers[at + 1] = headers[at + 1].replace(`:${own}`, `:${port}`)
    }
    headers.push('Authorization', `Bearer ${token}`)
    const { method, url: path } = call
    // A connection for each: one that is kept may be closed just as it is used again.
    const to = { host: '127.0.0.1', port, method, path, headers, setHost: false, agent: false }
    const onward = request(to, (reply) => {
      answer.writeHead(reply.statusCode, reply.rawHeaders)
      reply.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    // A client that closes its stream means something by it.
    answer.on('close', () => onward.destroy())
    call.pipe(onward)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${proxy.address().port}/mcp`,
    end() {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}
