import { statfsSync } from 'node:fs'

/** The file systems that other hosts write to, each with a clock of its own: NFS, SMB, CephFS, AFS, Lustre, GPFS. */
const SHARED_BETWEEN_HOSTS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'SMB'],
  [0xfe534d42, 'SMB'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
])

/** The kind of network disk a file lies on, or undefined for a disk of this host: S1 needs one host (spec E33). */
export function networkDisk(file: string): string | undefined {
  try {
    return SHARED_BETWEEN_HOSTS.get(Number(statfsSync(file).type) >>> 0)
  } catch {
    return undefined
  }
}
