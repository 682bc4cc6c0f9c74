#!/usr/bin/env node
// DuckDB and SQLite work on libuv's pool, whose size is read at the first use: set it before anything is loaded.
process.env.UV_THREADPOOL_SIZE ??= '16'
import('../dist/cli/main.js')
