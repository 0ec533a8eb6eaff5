// What the tools of this folder share: bookings, kept until the gateway stops.
const guests = new Map();

export class NoSuchBooking extends Error {}

export const find = (guest) => guests.get(guest);

export function add(guest, nights) {
  const booking = { number: guests.size + 1, guest, nights };
  guests.set(guest, booking);
  return booking;
}

export function remove(guest) {
  if (!guests.delete(guest)) throw new NoSuchBooking(`no booking for ${guest}`);
}
