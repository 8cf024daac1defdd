export type Note = { code: string, message: string, params: Record<string, string> };
