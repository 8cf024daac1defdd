// Configurations as the app makes them, for a Linux system.
import type { ClientConfiguration } from "../bindings/ClientConfiguration";

const PROGRAM = "/opt/regie/bin/regie";

export function configurations(port: number): ClientConfiguration[] {
  const url = `http://127.0.0.1:${port}/mcp`;
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  const headers = { Authorization: "Bearer <token>" };
  return [
    {
      client: "claude-desktop",
      title: "Claude Desktop",
      transport: "stdio",
      file: "/home/marie/.config/Claude/claude_desktop_config.json",
      language: "json",
      text: json({ mcpServers: { regie: { command: PROGRAM, args: ["mcp"] } } }),
    },
    {
      client: "claude-code",
      title: "Claude Code",
      transport: "http",
      file: null,
      language: "shell",
      text: `claude mcp add --scope user --transport http regie ${url} --header "Authorization: Bearer <token>"`,
    },
    {
      client: "cursor",
      title: "Cursor",
      transport: "http",
      file: "/home/marie/.cursor/mcp.json",
      language: "json",
      text: json({ mcpServers: { regie: { url, headers } } }),
    },
    {
      client: "vs-code",
      title: "VS Code",
      transport: "http",
      file: "/home/marie/.config/Code/User/mcp.json",
      language: "json",
      text: json({ servers: { regie: { type: "http", url, headers } } }),
    },
    {
      client: "mascarade",
      title: "mascarade",
      transport: "http",
      file: null,
      language: "python",
      text: [
        "{",
        '    "name": "zacus-hardware",',
        '    "description": "ESP32-S3 escape room hardware control",',
        '    "transport": "http",',
        `    "url": "${url}",`,
        '    "auth": {"type": "bearer", "token_env": "MASCARADE_API_KEY"},',
        '    "enabled_env": "ZACUS_MCP_ENABLED",',
        "}",
        "# in mascarade's environment: MASCARADE_API_KEY=<token>",
      ].join("\n"),
    },
  ];
}
