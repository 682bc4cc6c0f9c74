// Runs a TypeScript file of this repository from source: node scripts/run-ts.mjs FILE [ARGUMENT…]
import { resolve } from 'node:path'
import { runnerImport } from 'vite'

const [file, ...args] = process.argv.slice(2)
if (!file) {
  console.error('Usage: node scripts/run-ts.mjs FILE [ARGUMENT…]')
  process.exit(2)
}
process.argv.splice(1, process.argv.length, resolve(file), ...args)
await runnerImport(resolve(file))
