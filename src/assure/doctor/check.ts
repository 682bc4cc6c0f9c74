import type { AcceptedCheck } from '../../extract/settings.ts'
import type { DoctorCheck } from '../../kernel/doctor-checks.ts'
import type { Looked } from '../../sources/diagnosis.ts'

/** From harmless to what stops a run. `could_not_look` stands apart: it is never "nothing found" (spec A2). */
export type Severity = 'ok' | 'note' | 'warning' | 'blocker' | 'could_not_look'

/** One result: a sentence with its figures, and one thing to paste (spec A41). */
export interface Check {
  readonly name: DoctorCheck
  readonly severity: Severity
  readonly sentence: string
  readonly remedy: string | undefined
  /** By name, as texts; durations in µs. */
  readonly figures: Readonly<Record<string, string>>
  /** A person took the risk, with reason and date: it is shown, and neither counts nor stops. */
  readonly accepted?: AcceptedCheck
}

export type Verdict = Omit<Check, 'name' | 'figures'> & { readonly figures?: Check['figures'] }

/** The verdict on a figure, or that nobody could look. */
export function judge<Figure>(
  name: DoctorCheck,
  looked: Looked<Figure>,
  verdict: (figure: Figure) => Verdict,
): Check {
  if ('found' in looked) return { name, figures: {}, ...verdict(looked.found) }
  return {
    name,
    severity: 'could_not_look',
    sentence: looked.notLooked,
    remedy: looked.hint,
    figures: {},
  }
}

export const ok = (sentence: string, figures: Check['figures'] = {}): Verdict => ({
  severity: 'ok',
  sentence,
  remedy: undefined,
  figures,
})

/** Marks what the configuration accepts by name. */
export function accept(checks: readonly Check[], accepted: readonly AcceptedCheck[]): readonly Check[] {
  return checks.map((check) => {
    const found = accepted.find((each) => each.check === check.name)
    return found && check.severity !== 'could_not_look' ? { ...check, accepted: found } : check
  })
}

/** Whether it counts as found: warnings and blockers that nobody accepted (spec A41). */
export const isFound = ({ severity, accepted }: Check): boolean =>
  accepted === undefined && (severity === 'warning' || severity === 'blocker')
