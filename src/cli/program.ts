import { Command } from 'commander'
import { registerAlarms } from './alarms.ts'
import { registerAudit } from './audit.ts'
import { registerBackfill } from './backfill.ts'
import { registerComplete } from './complete.ts'
import { registerCompletion } from './completion.ts'
import { registerConfig } from './config.ts'
import { registerCopy } from './copy.ts'
import { registerDemo } from './demo.ts'
import { registerDoctor } from './doctor.ts'
import { programVersion } from './engine.ts'
import { registerFollow } from './follow.ts'
import { registerInit } from './init.ts'
import { registerLateness } from './lateness.ts'
import { registerPlan } from './plan.ts'
import { registerReconcile } from './reconcile.ts'
import { registerRehearse } from './rehearse.ts'
import { registerRepair } from './repair.ts'
import { registerReview } from './review.ts'
import { registerRun } from './run.ts'
import { registerRuns } from './runs.ts'
import { registerState } from './state.ts'
import { registerStatus } from './status.ts'
import { registerTrace } from './trace.ts'
import { registerVerify } from './verify.ts'
import { registerWait } from './wait.ts'

/** Every command, in the order of the help. A new one is a file and a line here. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  registerDemo,
  registerCopy,
  registerInit,
  registerDoctor,
  registerPlan,
  registerRun,
  registerFollow,
  registerStatus,
  registerRuns,
  registerTrace,
  registerBackfill,
  registerAudit,
  registerReconcile,
  registerRepair,
  registerLateness,
  registerReview,
  registerAlarms,
  registerRehearse,
  registerComplete,
  registerWait,
  registerVerify,
  registerState,
  registerConfig,
  registerCompletion,
]

/** The command line as commander knows it. Faults of usage are thrown, not printed. */
export function createProgram(): Command {
  const program = new Command('plimsoll')
    .description('Copies changed rows to where people analyse them, and proves that nothing is missing.')
    .version(programVersion(), '--version')
    .helpOption('-h, --help', 'explain a command')
    .helpCommand('help [command]', 'explain a command')
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .showSuggestionAfterError()
  for (const register of COMMANDS) register(program)
  return program
}
