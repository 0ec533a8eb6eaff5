// Preloaded into every measured process (node --import), so that the gateway is measured as it ships:
// answers {id, type: 'sample'} over IPC with the CPU time and memory the process has used so far.
import { monitorEventLoopDelay } from 'node:perf_hooks';

let loopDelay;

process.on('message', (message) => {
  if (message.type === 'watch-loop') {
    loopDelay ??= monitorEventLoopDelay({ resolution: 5 });
    loopDelay.enable();
    loopDelay.reset();
    process.send({ id: message.id, value: null });
  } else if (message.type === 'sample') {
    const { user, system } = process.cpuUsage();
    process.send({
      id: message.id,
      value: {
        cpuMs: (user + system) / 1000,
        rssMb: process.memoryUsage.rss() / 1e6,
        // The histogram records the whole interval; what exceeds the resolution is delay.
        loopP99Ms: loopDelay === undefined ? 0 : Math.max(0, loopDelay.percentile(99) / 1e6 - 5),
      },
    });
  }
});
// The channel must not keep a process alive that has been told to stop, and none may outlive the bench.
process.channel?.unref();
process.on('disconnect', () => process.exit(0));
