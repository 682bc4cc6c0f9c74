/** One room of the house: which files it holds, and what they may import besides each other. */
export interface Room {
  name: string
  files: RegExp
  imports: readonly string[]
  /** Node's own modules: `types` alone leave nothing behind in the compiled file. */
  node: 'no' | 'types' | 'yes'
  packages: boolean
  /** A folder a connector: two of them never import each other, though both are in this room. */
  apart?: true
}

/** The first room whose pattern fits a file is its room. */
export const ROOMS: readonly Room[] = [
  { name: 'kernel', files: /^src\/kernel\//, imports: [], node: 'no', packages: false },
  {
    name: 'contracts',
    files: /^src\/(sources\/(source|look|diagnosis|load)|destinations\/destination|catalog\/catalog)\.ts$/,
    imports: ['kernel'],
    node: 'types',
    packages: false,
  },
  {
    // What a chain of records is stands beside the catalog's contract; it hashes, so it needs node.
    name: 'chain',
    files: /^src\/catalog\/record-chain\.ts$/,
    imports: ['kernel', 'contracts'],
    node: 'yes',
    packages: false,
  },
  {
    name: 'shared',
    files: /^src\/(sources|destinations|catalog)\/[^/]+\.ts$/,
    imports: ['kernel', 'contracts', 'chain'],
    node: 'yes',
    packages: true,
  },
  {
    name: 'connectors',
    files: /^src\/(sources|destinations|catalog)\/[^/]+\//,
    imports: ['kernel', 'contracts', 'chain', 'shared'],
    node: 'yes',
    packages: true,
    apart: true,
  },
  engine('extract'),
  engine('assure', ['chain', 'extract']),
  engine('streams'),
  { name: 'config', files: /^src\/config\//, imports: ['kernel'], node: 'yes', packages: true },
  {
    name: 'testing',
    files: /^src\/testing\//,
    imports: ['kernel', 'contracts', 'chain', 'shared', 'extract'],
    node: 'yes',
    packages: true,
  },
  {
    name: 'service',
    files: /^src\/service\//,
    imports: ['kernel', 'contracts', 'shared', 'connectors', 'extract', 'assure', 'streams', 'config'],
    node: 'yes',
    packages: true,
  },
  { name: 'cli', files: /^src\/cli\//, imports: ['*'], node: 'yes', packages: true },
  { name: 'entry', files: /^src\/[^/]+\.ts$/, imports: ['*'], node: 'yes', packages: true },
]

/** The life of runs and checks: it knows contracts, and what it is built upon, but no connector. */
function engine(name: string, upon: readonly string[] = []): Room {
  return {
    name,
    files: new RegExp(`^src/${name}/`),
    imports: ['kernel', 'contracts', ...upon],
    node: 'yes',
    packages: true,
  }
}

/** Words that may not stand in the code of some files; comments and test files are free. */
export interface Ban {
  what: string
  word: RegExp
  where: (file: string) => boolean
}

export const BANS: readonly Ban[] = [
  {
    what: 'reads the environment, which only config/ and cli/ do',
    word: /\bprocess\s*\.\s*env\b/,
    where: (file) => file.startsWith('src/') && !/^src\/(config|cli)\//.test(file),
  },
  {
    what: 'looks at a clock, a calendar or chance; the kernel is told',
    word: /\bnew Date\b|\bDate\.\w|\bMath\.random\b|\bperformance\.now\b|\bset(Timeout|Interval|Immediate)\b/,
    where: (file) => file.startsWith('src/kernel/'),
  },
  {
    what: 'makes a Date, which loses microseconds; positions are exact',
    word: /\bnew Date\b|\bDate\.(parse|UTC)\b/,
    where: (file) => /^src\/(sources|extract)\//.test(file),
  },
]

export const LINE_LIMIT = 400
export const MEDIAN_LINE_LIMIT = 150
export const README_LINE_LIMIT = 10
