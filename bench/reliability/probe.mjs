// Preloaded into the gateway of the proofs (node --expose-gc --import): tells its memory after a forced
// collection, and what a library or a forgotten promise complained of.
const complaints = [];
process.on('warning', ({ name, message }) => complaints.push(`${name}: ${message}`));
process.on('unhandledRejection', (reason) => complaints.push(`unhandled rejection: ${reason}`));

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss, arrayBuffers } = process.memoryUsage();
  const resources = {};
  for (const kind of process.getActiveResourcesInfo()) {
    resources[kind] = (resources[kind] ?? 0) + 1;
  }
  process.send({
    heapMb: (heapUsed + arrayBuffers) / 1e6,
    rssMb: rss / 1e6,
    sockets: resources.TCPSocketWrap ?? 0,
    timers: resources.Timeout ?? 0,
    complaints,
  });
});
process.channel?.unref();
process.on('disconnect', () => process.exit(0));
