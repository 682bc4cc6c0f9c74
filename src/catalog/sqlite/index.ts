export { openCatalog } from './open.ts'
