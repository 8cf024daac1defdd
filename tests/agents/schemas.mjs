// What the hosts of models refuse or mangle in a tool's definition: the rules of VS Code, Claude
// and OpenAI taken together.

import { load } from './packages.mjs'
import { need } from './report.mjs'

const Ajv = load('ajv/dist/2020').default

/** Names longer than this are refused by some hosts once they have put the server's before them. */
const LONGEST_NAME = /^[a-zA-Z0-9_-]{1,40}$/
/** OpenAI refuses longer descriptions of a tool. */
const LONGEST_DESCRIPTION = 1024
const REFUSED = ['$ref', '$defs', 'definitions', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'nullable', 'patternProperties']
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

export async function checkAll(report, tools) {
  for (const tool of tools) await report.check(`${tool.name} is defined as hosts take it`, async () => lint(tool))
}

function lint({ name, title, description, annotations, inputSchema, outputSchema }) {
  need(LONGEST_NAME.test(name), `a name such as ${LONGEST_NAME}`, name)
  need(title, 'a title', title)
  need(description?.length <= LONGEST_DESCRIPTION, `a description of ${LONGEST_DESCRIPTION} characters at most`, description?.length)
  for (const hint of HINTS) need(typeof annotations?.[hint] === 'boolean', `${hint} said`, annotations)
  need(!(annotations.readOnlyHint && annotations.destructiveHint), 'nothing destructive that only reads', annotations)
  for (const schema of [inputSchema, outputSchema]) {
    need(schema?.type === 'object', 'an object at the root', schema)
    new Ajv({ strict: true, strictRequired: true, allowUnionTypes: false, formats: FORMATS }).compile(schema)
  }
  lintInput(inputSchema, name, true)
}

/** Formats that number types are annotated with; nothing is checked by them. */
const FORMATS = Object.fromEntries(
  ['double', 'float', 'uint', 'uint8', 'uint16', 'uint32', 'uint64', 'int32', 'int64'].map((name) => [name, true]),
)

function lintInput(schema, place, root) {
  for (const word of REFUSED) need(!(word in schema), `no ${word} in ${place}`, schema)
  need(typeof schema.type === 'string', `one type for ${place}`, schema.type)
  if (!root) need(schema.description, `a description of ${place}`, schema)
  if (schema.enum) need(schema.enum.length > 0 && new Set(schema.enum).size === schema.enum.length, `different values of ${place}`, schema.enum)
  if ('default' in schema) {
    const valid = new Ajv({ strict: false }).compile({ ...schema, default: undefined })(schema.default)
    need(valid, `a valid default of ${place}`, schema.default)
  }
  if (schema.type === 'array') {
    need(schema.items, `what ${place} lists`, schema)
    lintInput(schema.items, `${place}[]`, true)
  }
  if (schema.type === 'object' && schema.properties) {
    need(schema.additionalProperties === false, `additionalProperties: false in ${place}`, schema.additionalProperties)
    for (const required of schema.required ?? []) need(required in schema.properties, `${required} among the properties of ${place}`, schema)
    for (const [key, inner] of Object.entries(schema.properties)) lintInput(inner, `${place}.${key}`, false)
  }
}
