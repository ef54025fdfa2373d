// The heat columns next to the source: what each shows for a line, and how hot it is.

const COLUMNS = [
  {
    id: 'instructions',
    title: 'instructions',
    about: 'Warp instructions executed for this line.',
    heat: (c) => c.executions,
    text: (c) => short(c.executions),
    exact: (c) => `${counted(c.executions, 'warp instruction', 'warp instructions')}`,
  },
  {
    id: 'threads',
    title: 'threads busy',
    about: 'How many of a warp’s 32 threads were active, on average. Hot: many were idle.',
    heat: (c) => 32 * c.executions - c.thread_executions,
    text: (c) => one(c.thread_executions / c.executions),
    exact: (c) => `${one(c.thread_executions / c.executions)} of 32 threads active on average`,
    exists: (c) => c.executions > 0,
    floor: 0.05,
  },
  {
    id: 'sectors',
    title: 'sectors moved',
    about: 'Sectors (32 bytes each) moved by loads and stores of global memory.',
    heat: (c) => globalSectors(c),
    text: (c) => short(globalSectors(c)),
    exact: (c) =>
        `${commas(globalSectors(c))} sectors in ${counted(globalRequests(c), 'request', 'requests')} of warps`,
    exists: (c) => globalRequests(c) > 0,
  },
  {
    id: 'needless',
    title: '×\u00a0needed',
    about: 'Sectors moved per sector needed. 1 is ideal. Hot: many needless sectors.',
    heat: (c) => globalSectors(c) - globalIdeal(c),
    text: (c) => `${one(globalSectors(c) / globalIdeal(c))}×`,
    exact: (c) => `${commas(globalSectors(c))} sectors moved, ${commas(globalIdeal(c))} needed`,
    exists: (c) => globalIdeal(c) > 0,
    floor: 0.05,
  },
  {
    id: 'turns',
    title: 'shared turns',
    about: 'Turns (wavefronts) of shared memory.',
    heat: (c) => sharedTurns(c),
    text: (c) => short(sharedTurns(c)),
    exact: (c) => `${commas(sharedTurns(c))} turns of shared memory for ${
        counted(sharedRequests(c), 'request', 'requests')} of warps`,
    exists: (c) => sharedRequests(c) > 0,
  },
  {
    id: 'conflicts',
    title: '×\u00a0needed',
    about: 'Turns of shared memory per turn needed without bank conflicts. 1 is ideal.',
    heat: (c) => sharedConflicts(c),
    text: (c) => `${one(sharedTurns(c) / (sharedTurns(c) - sharedConflicts(c)))}×`,
    exact: (c) => `${commas(sharedConflicts(c))} of ${commas(sharedTurns(c))} turns are bank conflicts`,
    exists: (c) => sharedTurns(c) > sharedConflicts(c),
    floor: 0.05,
  },
  {
    id: 'atomics',
    title: 'atomic turns',
    about: 'Turns of atomic operations: threads of a warp that update the same address take turns.',
    heat: (c) => c.global_atomic_depth + c.shared_atomic_depth,
    text: (c) => short(c.global_atomic_depth + c.shared_atomic_depth),
    exact: (c) => `${commas(c.global_atomic_depth + c.shared_atomic_depth)} turns for ${
        counted(c.global_atomic_requests + c.shared_atomic_requests, 'request', 'requests')} of warps`,
    exists: (c) => c.global_atomic_requests + c.shared_atomic_requests > 0,
  },
  {
    id: 'local',
    title: 'local sectors',
    about: 'Sectors of local memory: per-thread arrays in device memory.',
    heat: (c) => c.local_load_sectors + c.local_store_sectors,
    text: (c) => short(c.local_load_sectors + c.local_store_sectors),
    exact: (c) => `${commas(c.local_load_sectors + c.local_store_sectors)} sectors of local memory`,
    exists: (c) => c.local_load_requests + c.local_store_requests > 0,
  },
  {
    id: 'wait',
    title: 'barrier wait',
    about: 'Steps that warps waited at this barrier for others of their block, summed over all warps.',
    heat: (c) => c.barrier_wait,
    text: (c) => short(c.barrier_wait),
    exact: (c) =>
        `${commas(c.barrier_wait)} steps of waiting in ${counted(c.barriers, 'arrival', 'arrivals')} of warps`,
    exists: (c) => c.barriers > 0,
  },
];

// Counters that are 0 are omitted from the data.
const ZEROS = {};
for (const space of ['global', 'shared', 'local'])
  for (const kind of ['load', 'store', 'atomic'])
    for (const what of ['requests', 'sectors', 'ideal_sectors', 'wavefronts', 'conflicts', 'depth'])
      ZEROS[`${space}_${kind}_${what}`] = 0;
const countersOf = (line) =>
    Object.assign({executions: 0, thread_executions: 0, barriers: 0, barrier_wait: 0}, ZEROS, line);

const globalSectors = (c) => c.global_load_sectors + c.global_store_sectors;
const globalIdeal = (c) => c.global_load_ideal_sectors + c.global_store_ideal_sectors;
const globalRequests = (c) => c.global_load_requests + c.global_store_requests;
const sharedTurns = (c) => c.shared_load_wavefronts + c.shared_store_wavefronts;
const sharedConflicts = (c) => c.shared_load_conflicts + c.shared_store_conflicts;
const sharedRequests = (c) => c.shared_load_requests + c.shared_store_requests;

// Which column shows what a remark is about.
const COLUMN_OF_REMARK = {
  load: 'needless',
  store: 'needless',
  local: 'local',
  banks: 'conflicts',
  divergence: 'threads',
  'block shape': 'threads',
  atomics: 'atomics',
  barrier: 'wait',
  occupancy: 'instructions'
};

// The columns that apply to these lines, each with its hottest value.
function columnsFor(lines) {
  const columns = [];
  for (const column of COLUMNS) {
    const shows = (c) => (column.exists ? column.exists(c) : column.heat(c) > 0);
    if (!lines.some(shows)) continue;
    const hottest = Math.max(...lines.map((c) => (shows(c) ? column.heat(c) : 0)), 0);
    const total = lines.reduce((sum, c) => sum + (shows(c) ? Math.max(column.heat(c), 0) : 0), 0);
    columns.push({...column, shows, hottest, total});
  }
  return columns;
}

// 0 (cold) to 1. If the ideal is 0, small values stay cold.
function heatOf(column, counters) {
  if (!column.shows(counters) || column.hottest <= 0) return 0;
  const heat = Math.max(column.heat(counters), 0) / column.hottest;
  const all = column.id === 'threads' ? 32 * counters.executions :
      column.id === 'needless'        ? globalSectors(counters) :
      column.id === 'conflicts'       ? sharedTurns(counters) :
                                        0;
  return column.floor && all > 0 && column.heat(counters) / all < column.floor ? 0 : heat;
}
