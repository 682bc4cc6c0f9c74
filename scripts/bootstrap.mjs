// What every npm script of this repository starts with. Plain Node without dependencies, because it may have to
// install them: node scripts/bootstrap.mjs demo | test | test:race | test:crash | test:sim | bench:NAME | totals
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const REPORTS = join(ROOT, 'reports')
const NODE_MINIMUM = [20, 19]
/** npm writes its lock file and its mark of a finished install in either order. */
const INSTALL_SLACK_MS = 5_000

const TOOLS = {
  biome: 'node_modules/@biomejs/biome/bin/biome',
  tsc: 'node_modules/typescript/bin/tsc',
  knip: 'node_modules/knip/bin/knip.js',
  vitest: 'node_modules/vitest/vitest.mjs',
}

const [command = '', ...args] = process.argv.slice(2)
process.chdir(ROOT)
requireNode()
process.exitCode = main()

function main() {
  if (command === 'totals') return totals(['demo', 'test'])
  if (command === 'demo') return demo()
  if (command === 'test') return test()
  if (/^test:(race|crash|sim)$/.test(command)) return suite(command.slice('test:'.length))
  if (/^bench:[a-z-]+$/.test(command)) return bench(command.slice('bench:'.length))
  console.error(
    `Unknown command "${command}". Known: demo, test, test:race, test:crash, test:sim, bench:NAME, totals`,
  )
  return 2
}

function demo() {
  const status = prepare() || run('demo', ['bin/plimsoll.cjs', 'demo', ...args])
  writeSummary('demo', { passed: 0, failed: status === 0 ? 0 : 1, skipped: 0 })
  return status
}

/** All checks and all tests; a failure does not keep the rest from running. */
function test() {
  const steps = [
    ['install and build', prepare],
    ['biome', () => run('biome', [TOOLS.biome, 'check', '.'])],
    ['types', () => run('types', [TOOLS.tsc, '-p', 'tsconfig.json', '--noEmit'])],
    ['knip', () => run('knip', [TOOLS.knip])],
  ]
  const failures = steps.filter(([, step]) => step() !== 0).map(([name]) => name)
  const tests = vitest('tests', args, 'short')
  if (tests.failed > 0) failures.push('tests')
  const summary = { ...tests, failed: tests.failed + failures.filter((name) => name !== 'tests').length }
  writeSummary('test', summary)
  if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`)
  console.log(sentence(summary))
  return summary.failed === 0 ? 0 : 1
}

/** One long suite, in its long form unless PLIMSOLL_SUITE says otherwise. */
function suite(name) {
  if (prepare() !== 0) return 1
  const summary = vitest(name, ['--project', name, ...args], 'long')
  writeSummary(name, summary)
  console.log(sentence(summary))
  return summary.failed === 0 ? 0 : 1
}

function bench(name) {
  return prepare() || run(`bench ${name}`, ['scripts/run-ts.mjs', `bench/${name}.ts`, ...args])
}

/** The sum over the summaries that the runs before left behind; one that is missing is a failure. */
function totals(names) {
  const sum = { passed: 0, failed: 0, skipped: 0 }
  for (const name of names) {
    const { passed, failed, skipped } = readJson(summaryFile(name)) ?? { passed: 0, failed: 1, skipped: 0 }
    sum.passed += passed
    sum.failed += failed
    sum.skipped += skipped
  }
  console.log(sentence(sum))
  return sum.failed === 0 ? 0 : 1
}

function vitest(name, extra, form) {
  const report = join(REPORTS, `${name}.json`)
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const env = { PLIMSOLL_SUITE: process.env.PLIMSOLL_SUITE ?? form, UV_THREADPOOL_SIZE: '16' }
  const status = run(name, [TOOLS.vitest, 'run', ...reporters, ...extra], env)
  const counted = count(readJson(report))
  // A file that does not load, or a runner that dies, fails without a failed test.
  return status !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted
}

function count(report) {
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

function prepare() {
  return install() || build()
}

function install() {
  if (isInstalled()) return 0
  const locked = existsSync('package-lock.json')
  const flags = ['--include=dev', '--no-audit', '--no-fund']
  const status = runProgram('npm', [locked ? 'ci' : 'install', ...flags])
  if (status === 0) writeFileSync('node_modules/.plimsoll-installed', '')
  else console.error('npm could not install the dependencies; its message is above')
  return status
}

function isInstalled() {
  const finished = Math.max(
    modified('node_modules/.plimsoll-installed'),
    modified('node_modules/.package-lock.json'),
  )
  const wanted = Math.max(
    modified('package-lock.json'),
    existsSync('package-lock.json') ? 0 : modified('package.json'),
  )
  return finished > 0 && finished + INSTALL_SLACK_MS >= wanted
}

/** Compiles beside `dist` and swaps, so that a program running from `dist` meets no half of it. */
function build() {
  const sources = Math.max(newest('src'), modified('tsconfig.json'), modified('tsconfig.build.json'))
  if (modified('dist/.built') >= sources) return 0
  const draft = `.cache/dist-${process.pid}`
  const status = run('build', [TOOLS.tsc, '-p', 'tsconfig.build.json', '--outDir', draft])
  if (status === 0) {
    writeFileSync(join(draft, '.built'), '')
    rmSync('dist', { recursive: true, force: true })
    renameSync(draft, 'dist')
  }
  rmSync(draft, { recursive: true, force: true })
  return status
}

/** When anything below a folder changed last; a folder changes when a file in it is removed. */
function newest(folder) {
  if (!existsSync(folder)) return 0
  const below = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? newest(path) : modified(path)
  })
  return Math.max(modified(folder), ...below)
}

function run(name, nodeArgs, env = {}) {
  const started = Date.now()
  const status = runProgram(process.execPath, nodeArgs, env)
  if (status !== 0)
    console.error(`${name}: exit code ${status} after ${((Date.now() - started) / 1000).toFixed(1)} s`)
  return status
}

function runProgram(program, programArgs, env = {}) {
  const { status, signal, error } = spawnSync(program, programArgs, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
    shell: program === 'npm' && process.platform === 'win32',
  })
  if (error) console.error(error.message)
  if (signal) console.error(`${program} was stopped by ${signal}`)
  return status ?? 1
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > NODE_MINIMUM[0] || (major === NODE_MINIMUM[0] && minor >= NODE_MINIMUM[1])) return
  console.error(
    `Plimsoll needs Node ${NODE_MINIMUM.join('.')} or later; this is Node ${process.versions.node}`,
  )
  process.exit(2)
}

function sentence({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

function writeSummary(name, summary) {
  mkdirSync(REPORTS, { recursive: true })
  writeFileSync(summaryFile(name), `${JSON.stringify(summary)}\n`)
}

function summaryFile(name) {
  return join(REPORTS, `summary-${name}.json`)
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
