import type { Catalog } from '../catalog/catalog.ts'

/** What a catalog's author hands to the suite. */
export interface CatalogSetup {
  /**
   * The file whose exported `openCatalog(location)` opens the catalog; real child processes load it too. Absent for a
   * catalog that lives and dies with its process: then nothing is tested that takes two.
   */
  readonly module?: string
  openCatalog(location: string): Promise<Catalog>
  /** A place for a catalog that no other test uses: a folder, a URL. */
  createLocation(testName: string): Promise<string>
}

/** Runs a test on a fresh catalog; `open` opens it once more, as another process would. All are closed at the end. */
export async function onCatalog(
  setup: CatalogSetup,
  testName: string,
  run: (catalog: Catalog, open: () => Promise<Catalog>, location: string) => Promise<void>,
): Promise<void> {
  const location = await setup.createLocation(testName)
  const opened: Catalog[] = []
  const open = async () => {
    const catalog = await setup.openCatalog(location)
    opened.push(catalog)
    return catalog
  }
  try {
    await run(await open(), open, location)
  } finally {
    for (const catalog of opened) await catalog.close()
  }
}
