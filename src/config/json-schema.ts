import { z } from 'zod'
import { configSchema } from './schema.ts'

/** The JSON schema of `plimsoll.yaml`, for editors. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  const schema = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-2020-12' })
  return { ...schema, title: 'plimsoll.yaml' }
}
