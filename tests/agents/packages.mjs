// The packages of package.json, from the folder that they are installed in.

import { createRequire } from 'node:module'
import { join } from 'node:path'

import { setting } from './settings.mjs'

export const folder = setting('REGIE_AGENTS_PACKAGES')

/** Loads one of the packages. */
export const load = createRequire(join(folder, 'package.json'))
