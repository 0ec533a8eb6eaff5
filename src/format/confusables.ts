// What a character looks like to a reader who is in a hurry: look-alikes of `<`, `/`, `-`, `|` and
// of Latin letters become those, marks and invisible characters become nothing.

/** Look-alikes that neither NFKD nor a general category covers. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '<': '‹〈⟨❮❬≺˂ᐸ◁◂⧼⦉⋖«‹〈ᚲ𝈶',
  '>': '›〉⟩❯❭≻˃ᐳ▷▸⧽⦊⋗»',
  '/': '⁄∕⧸╱⟋／𝈺丿ノ',
  '|': '│∣ǀ❘￨┃┆ꟾ❙ᛁ⎮',
  '[': '⟦【〔〚⁅❲',
  ']': '⟧】〕〛⁆❳',
  '-': '_−▁＿˗‐‑‒–—―·•⁃－﹣➖',
  a: 'аɑαᴀ⍺ꭺаӑ',
  b: 'ЬƅᏏвʙ',
  c: 'сϲᴄⅽⲥ',
  d: 'ԁɗᴅժⅾꓒđð',
  e: 'еєҽᴇ℮ꬲεɛ',
  f: 'ꜰſƒ',
  h: 'һհʜн',
  i: 'іıɩιɪ',
  k: 'кκᴋ',
  l: 'ⅼӏʟ',
  m: 'мᴍⅿ',
  n: 'ոռпɴηᴨ',
  o: 'оοօᴏø',
  p: 'рρᴘ',
  r: 'гᴦʀꭇꭈɾ',
  s: 'ѕꜱꮪƽ',
  t: 'тτᴛƭⲧŧ',
  u: 'υսᴜʋцꞟꭎꭒ',
  v: 'ѵνᴠⅴ',
  w: 'ѡԝᴡա',
  x: 'хχⅹ×',
  y: 'уүʏγ',
};

const TABLE = new Map<string, string>();
for (const [plain, others] of Object.entries(LOOK_ALIKES)) {
  for (const other of others) TABLE.set(other, plain);
}

/** Whitespace, controls, format characters, marks and other things without a shape of their own. */
const SHAPELESS = /[\s\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
const MAX_CACHED = 8192;
const cache = new Map<string, string>();

/** Blocks of letters in circles, squares and flags, A to Z, that have no decomposition. */
const LETTER_BLOCKS = [0x1f150, 0x1f170, 0x1f1e6];

function boxedLetter(character: string): string | undefined {
  const code = character.codePointAt(0) ?? 0;
  const block = LETTER_BLOCKS.find((start) => code >= start && code < start + 26);
  return block === undefined ? undefined : String.fromCharCode(0x61 + code - block);
}

function computed(character: string): string {
  const letter = boxedLetter(character);
  if (letter !== undefined) return letter;
  let plain = '';
  for (const part of character.normalize('NFKD')) {
    const lower = part.toLowerCase();
    const known = TABLE.get(part) ?? TABLE.get(lower);
    if (known !== undefined) plain += known;
    else if (/\p{Pd}/u.test(part)) plain += '-';
    else if (!SHAPELESS.test(part)) plain += lower;
  }
  return plain;
}

/**
 * The shape of one character (a code point): lower-case ASCII where it looks like it, '' where it
 * has none, itself otherwise.
 */
export function shapeOf(character: string): string {
  const known = cache.get(character);
  if (known !== undefined) return known;
  const shape = TABLE.get(character) ?? computed(character);
  if (cache.size < MAX_CACHED) cache.set(character, shape);
  return shape;
}
