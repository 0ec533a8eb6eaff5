// What comes and goes for good, against a Set.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LiveList } from '../../src/live-list.js';

it('holds what entered and has not left, whatever the order', () => {
  // A number adds itself; null removes the oldest, undefined the newest.
  const step = fc.oneof(fc.integer(), fc.constant(null), fc.constant(undefined));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const list = new LiveList<{ n: number }>();
      const model: { place: number; entry: { n: number } }[] = [];
      for (const n of steps) {
        if (typeof n === 'number') {
          const entry = { n };
          model.push({ place: list.add(entry), entry });
        } else {
          const gone = n === null ? model.shift() : model.pop();
          if (gone !== undefined) list.remove(gone.place);
        }
        expect(list.size).toBe(model.length);
        expect(new Set(list)).toEqual(new Set(model.map(({ entry }) => entry)));
        expect([...list]).toHaveLength(model.length);
      }
    }),
  );
});
