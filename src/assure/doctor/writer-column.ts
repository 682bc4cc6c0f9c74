import type { TableShape } from '../../sources/source.ts'

const NAMES =
  /^(writer|host(name)?|node|server|instance|app(lication)?|client|device(_id)?|terminal|source_system|(last_)?(updated|modified|changed|written|created)_by)$/i

/** The column that tells who wrote a row, by its name, for lie L6; undefined where none looks like it. */
export function writerColumn(shape: TableShape): string | undefined {
  return shape.columns.find(({ name }) => NAMES.test(name))?.name
}
