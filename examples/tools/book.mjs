// Writes. With `lose_answer` it does so and then breaks, as a connection does in the middle.
import { ToolArgumentValidationError } from 'toolgate/errors';
import { add } from './store.mjs';

export default async ({ guest, nights, lose_answer: loseAnswer }) => {
  if (guest.trim() === '') {
    throw new ToolArgumentValidationError('guest_blank', {
      message: 'A booking needs the name of a guest.',
      errors: { '/guest': 'must not be blank' },
    });
  }
  const booking = add(guest, nights);
  if (loseAnswer) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return booking;
};
