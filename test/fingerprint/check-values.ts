import type { CanonicalType, ComparedColumn } from '../../src/kernel/fingerprint/comparison.ts'

/** The table of the rules' check values (F35): id is the key, ts the position. */
export const CHECK_COLUMNS: readonly ComparedColumn[] = [
  { name: 'id', canonical: { name: 'integer' } },
  { name: 't', canonical: { name: 'text' } },
  { name: 'c', canonical: { name: 'char' } },
  { name: 'd', canonical: { name: 'decimal', scale: 4 } },
  { name: 'b', canonical: { name: 'boolean' } },
  { name: 'ts', canonical: { name: 'instant' } },
  { name: 'dt', canonical: { name: 'date' } },
  { name: 'bl', canonical: { name: 'bytes' } },
  { name: 'u', canonical: { name: 'uuid' } },
]

export interface CheckRow {
  /** In the wire's notation, in the order of the columns. */
  readonly wire: readonly (string | null)[]
  /** The row's text; undefined for the two whose long values the rules write in words. */
  readonly text?: string
  readonly md5: string
  readonly word: bigint
  readonly secondWord: bigint
  /** The first four digits of the digest of the key text. */
  readonly bucket: string
}

const ZEROS = '00000000-0000-0000-0000-000000000000'
const WOMEN = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467} a\u00F1\u{1F600}'
const FUSSY = `tab\there, line\nfeed, it's \\ "back"`

/** The sixteen rows, as they stand in the rules (F35). */
export const CHECK_ROWS: readonly CheckRow[] = [
  {
    wire: ['1', null, null, null, null, null, null, null, null],
    text: '1;N;N;N;N;N;N;N;N',
    md5: 'b347cff571e5aad0361eb8b17ac0e646',
    word: 807407669326273197n,
    secondWord: 15233427342803174n,
    bucket: 'c4ca',
  },
  {
    wire: ['2', '', '', '0.0000', 'f', '1970-01-01 00:00:00', '1970-01-01', '\\x', ZEROS],
    text: `2;v0:;v0:;0.0000;0;0;0;v0:;${ZEROS}`,
    md5: '17537daa20d1fa5416d1ab00896955f7',
    word: 105051578474241957n,
    secondWord: 294653358017964373n,
    bucket: 'c81e',
  },
  {
    wire: [
      '3',
      'N',
      'N',
      '1.1000',
      't',
      '1969-12-31 23:59:59.999999',
      '1969-12-31',
      '\\x00',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    ],
    text: '3;v1:N;v1:N;1.1000;1;-1;-1;v1:00;a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
    md5: '8baa659fe73577c817dc6b6ae24d2027',
    word: 628998003422877564n,
    secondWord: 583177030680595744n,
    bucket: 'eccb',
  },
  {
    wire: ['4', 'v3:abc;N', 'v', '-7.5000', 't', '2025-11-28 14:22:09', '2025-11-28', '\\x763a3b4e', ZEROS],
    text: `4;v8:v3:abc;N;v1:v;-7.5000;1;1764339729000000;20420;v4:763a3b4e;${ZEROS}`,
    md5: 'ad880d3b07c3681985fe884968611460',
    word: 781516182036166273n,
    secondWord: 686234379544453396n,
    bucket: 'a87f',
  },
  {
    wire: [
      '5',
      'a;b:c',
      ';:v',
      '0.0001',
      'f',
      '2025-11-28 14:22:09.000001',
      '2024-02-29',
      '\\x00ff10',
      ZEROS,
    ],
    text: `5;v5:a;b:c;v3:;:v;0.0001;0;1764339729000001;19782;v3:00ff10;${ZEROS}`,
    md5: '6131095c5d37a1d66edee1887db996bb',
    word: 437711824240212509n,
    secondWord: 463552871904688534n,
    bucket: 'e4da',
  },
  {
    wire: [
      '6',
      WOMEN,
      '\u{1F600}',
      '-0.0001',
      't',
      '2025-11-28 14:22:09.123456',
      '2000-02-29',
      '\\xf09f9880',
      ZEROS,
    ],
    text: `6;v26:${WOMEN};v4:\u{1F600};-0.0001;1;1764339729123456;11016;v4:f09f9880;${ZEROS}`,
    md5: '8f5df5efe8033bbac3d8d7e78c1b2a2c',
    word: 645667720687268795n,
    secondWord: 775701982652144426n,
    bucket: '1679',
  },
  {
    wire: ['7', 'e\u0301', 'e\u0301', null, null, null, null, null, null],
    text: '7;v3:e\u0301;v3:e\u0301;N;N;N;N;N;N',
    md5: 'b9c21161e5495dfe785f957c057aea6f',
    word: 836580009665926623n,
    secondWord: 1042688409371769578n,
    bucket: '8f14',
  },
  {
    wire: ['8', '\u00E9', '\u00E9', null, null, null, null, null, null],
    text: '8;v2:\u00E9;v2:\u00E9;N;N;N;N;N;N',
    md5: '7ecaafd254a617eed167ff8159d42bc6',
    word: 571019256998289790n,
    secondWord: 1067748933747987499n,
    bucket: 'c9f0',
  },
  {
    wire: ['9', 'ab  ', 'ab   ', null, null, null, null, null, null],
    text: '9;v4:ab  ;v2:ab;N;N;N;N;N;N',
    md5: '444455453e1154b82074cf98472998bd',
    word: 307446903054865739n,
    secondWord: 585596386520017304n,
    bucket: '45c4',
  },
  {
    wire: ['10', 'ab', 'ab   ', null, null, null, null, null, null],
    text: '10;v2:ab;v2:ab;N;N;N;N;N;N',
    md5: '5a67894f679ae22a38d2e58332de3fba',
    word: 407145397509271074n,
    secondWord: 736570422265568831n,
    bucket: 'd3d9',
  },
  {
    wire: ['11', FUSSY, 'A', null, null, null, null, null, null],
    text: `11;v34:${FUSSY};v1:A;N;N;N;N;N;N`,
    md5: 'f6a94a1ec8c8efcf6abd16d99846dc81',
    word: 1110863681279528700n,
    secondWord: 1110908163937814236n,
    bucket: '6512',
  },
  {
    wire: ['12', '\u00DF', 'a', null, null, '1900-02-28 23:59:59.5', '1900-03-01', null, null],
    text: '12;v2:\u00DF;v1:a;N;N;-2203891200500000;-25508;N;N',
    md5: '077965500236ffee231e63c8dbd69551',
    word: 33660814047277054n,
    secondWord: 1018691354636310165n,
    bucket: 'c20a',
  },
  {
    wire: ['13', '\u00E9'.repeat(2048), null, null, null, null, null, `\\x${'00'.repeat(4096)}`, null],
    text: `13;v4096:${'\u00E9'.repeat(2048)};N;N;N;N;N;v4096:${'00'.repeat(4096)};N`,
    md5: 'd35f85f90a18eeb0d2bb33e6af54655d',
    word: 951939985590816491n,
    secondWord: 59315576697214053n,
    bucket: 'c51c',
  },
  {
    wire: ['14', '\u00E9'.repeat(5000), null, null, null, null, null, `\\x${'00'.repeat(4097)}`, null],
    text: '14;w10000:f64053dab5203d25973cf245b458c7c2;N;N;N;N;N;w4097:e1f1691cadd21fe149b61bd80bbdae84;N',
    md5: '56c8ec1ea382dba467292851dd1820f9',
    word: 390844231183773114n,
    secondWord: 317267551901784096n,
    bucket: 'aab3',
  },
  {
    wire: [
      '9223372036854775807',
      'N;N',
      '',
      '9999999999999999.9999',
      't',
      '9999-12-31 23:59:59.999999',
      '9999-12-31',
      '\\xff',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ],
    text: '9223372036854775807;v3:N;N;v0:;9999999999999999.9999;1;253402300799999999;2932896;v1:ff;ffffffff-ffff-ffff-ffff-ffffffffffff',
    md5: '41fad3c2270d298a76e177b022901ba0',
    word: 297146574217204376n,
    secondWord: 754037891803549723n,
    bucket: '1576',
  },
  {
    wire: [
      '-9223372036854775808',
      '\u200D\uFEFF',
      '',
      '-9999999999999999.9999',
      'f',
      '0001-01-01 00:00:00',
      '0001-01-01',
      '\\xff',
      ZEROS,
    ],
    text: `-9223372036854775808;v6:\u200D\uFEFF;v0:;-9999999999999999.9999;0;-62135596800000000;-719162;v1:ff;${ZEROS}`,
    md5: 'c444d8918e34c45ef71483e5ec8e61c8',
    word: 883916678094867525n,
    secondWord: 1078353192509279841n,
    bucket: 'e12c',
  },
]

export const CHECK_SUM = 9196916509828860781n
export const CHECK_SECOND_SUM = 10589730933533944973n

/** Sums by one digit of the key's digest: rows, sum of their words. */
export const CHECK_BUCKETS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  1: [2n, 942814294904473171n],
  4: [1n, 307446903054865739n],
  6: [1n, 1110863681279528700n],
  8: [1n, 836580009665926623n],
  a: [2n, 1172360413219939387n],
  c: [5n, 2469079304436898489n],
  d: [1n, 407145397509271074n],
  e: [3n, 1950626505757957598n],
}

/** With SHA-256: both words of the first two rows. */
export const CHECK_SHA256_WORDS = [
  [265559537575789506n, 648978302206895034n],
  [383211850194677138n, 345394694636634010n],
] as const

/** The words of the columns of row 5, in their order after the key (F30). */
export const CHECK_COLUMN_WORDS = [
  1034269380459558717n,
  795823255743228644n,
  923368335948725296n,
  1031026697012649396n,
  254758180848473209n,
  1031147648632168259n,
  421159105216940182n,
  1144223652608940175n,
]

/** Keys of several columns: the key text, and what its digest begins with (F37). */
export const CHECK_KEYS: readonly {
  readonly types: readonly CanonicalType[]
  readonly wire: readonly (string | null)[]
  readonly text: string
  readonly digest: string
}[] = (
  [
    [['a', '5'], 'v1:a;5', '5ff6'],
    [['A', '5'], 'v1:A;5', 'b13e'],
    [['a;b;', '1'], 'v4:a;b;;1', '4697'],
    [['K', '7'], 'v1:K;7', '47d8'],
    [[null, '7'], 'N;7', '520e'],
  ] as const
).map(([wire, text, digest]) => ({ types: [{ name: 'text' }, { name: 'integer' }], wire, text, digest }))
