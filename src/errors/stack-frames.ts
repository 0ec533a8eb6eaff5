// Stack frames in a text: of no use to a caller, and full of paths. A line that only begins with "at"
// is prose and stays.

/** JavaScript, Java and .NET; the line break may be one of JSON's, and then a quote ends the last. */
const AT_LINES = /(?:\r?\n|\\n)(?:[ \t]|\\t)*at ((?:(?!\\n)[^\n"])*)/g;

/** Python, PHP, Ruby and Go. */
const OTHER_FRAMES =
  /(?:\r?\n|\\n)(?:[ \t]|\\t)*(?:File \\?"[^"\n]{0,500}", line |#\d{1,3} (?:\/|[A-Z]:\\|\{main\}|\[internal function\])|from [^\n:]{1,300}:\d{1,7}:in |[^\s:]{1,300}\.go:\d)(?:(?!\\n)[^\n])*/g;

/** What follows "at " in a frame: a place in a file, none of one, or a method with its parameters. */
const FRAMES: readonly RegExp[] = [
  /^\D.*:\d{1,7}:\d{1,7}\)?["',}\]\s]*$/,
  /\((?:[\w.$ -]{1,200}:\d{1,7}|<anonymous>|native|index \d{1,7}|Native Method|Unknown Source)\)["',}\]\s]*$/,
  /^[\w$<>`+[\]|]{1,100}(?:\.[\w$<>`+[\]|]{1,100}){1,20}\(/,
];

/** Takes the stack frames out of a text. */
export function withoutStackFrames(text: string): string {
  if (!text.includes('\n') && !text.includes('\\n')) return text;
  return text
    .replace(AT_LINES, (line, rest: string) => (FRAMES.some((f) => f.test(rest)) ? '' : line))
    .replace(OTHER_FRAMES, '');
}
