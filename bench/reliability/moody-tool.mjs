// A module tool that does by turns what such functions do: answer, refuse, throw, hang until it is
// told to stop, and work on after that.
const OVERTIME_MS = 400;

let calls = 0;

const MOODS = [
  () => ({ done: true }),
  () => ({ done: true }),
  () => ({ done: true }),
  () => {
    throw new TypeError('not a function');
  },
  () => Promise.reject('a string'),
  () => ({ n: 10n }),
  (signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    }),
  () => new Promise((resolve) => setTimeout(resolve, OVERTIME_MS, { late: true })),
];

export default (_args, { signal }) => {
  calls += 1;
  return MOODS[calls % MOODS.length](signal);
};
