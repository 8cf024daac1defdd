export type Fault = { code: string, agent_code: string, message: string, hint: string, params: Record<string, string> };
