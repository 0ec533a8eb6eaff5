import { describe, expect, test } from 'vitest';
import { ToolIndex } from '../../src/tools/catalogue.js';

const TOOLS = [
  [
    'weather.forecast',
    'Forecast for a city.',
    { city: { description: 'Name of the town' }, days: {} },
  ],
  ['weather.history', 'Past weather of a place.', { place: {}, from: {} }],
  ['mail.send', 'Sends a message.', { recipient: {}, subject: {} }],
  ['calendar.createEvent', 'Puts an appointment into the diary.', { startTime: {} }],
  ['weather.admin.reset', 'Forgets everything.', {}],
] as const;

const index = new ToolIndex(
  TOOLS.map(([name, description, properties]) => ({
    name,
    description,
    inputSchema: { type: 'object', properties },
  })),
);

describe('search', () => {
  test.each([
    ['forecast', ['weather.forecast']],
    ['forcast', ['weather.forecast']],
    ['fore', ['weather.forecast']],
    ['FORECAST City', ['weather.forecast']],
    ['town', ['weather.forecast']],
    ['recipient', ['mail.send']],
    ['recipent', ['mail.send']],
    ['appointment', ['calendar.createEvent']],
    ['event', ['calendar.createEvent']],
    ['start', ['calendar.createEvent']],
    ['weather message', []],
    ['zzzz', []],
    ['', []],
    ['()[]{}*?', []],
  ])('%s', (query, names) => {
    expect(index.search(query)).toEqual(names);
  });

  test('a hit in the name stands before one in the description', () => {
    expect(index.search('weather').slice(0, 3).sort()).toEqual([
      'weather.admin.reset',
      'weather.forecast',
      'weather.history',
    ]);
  });

  test('shows only what is allowed', () => {
    const names = index.search('weather', (name) => !name.includes('admin'));
    expect(names.sort()).toEqual(['weather.forecast', 'weather.history']);
  });

  test('a query of 100 kB', () => {
    expect(index.search('weather '.repeat(12_500))).toContain('weather.forecast');
    expect(index.search('w'.repeat(100_000))).toEqual([]);
  });
});

describe('suggest', () => {
  test.each([
    ['wether.forecast', 'weather.forecast'],
    ['weather_forecast', 'weather.forecast'],
    ['weatherForecast', 'weather.forecast'],
    ['get_weather_forecast', 'weather.forecast'],
    ['mail.sent', 'mail.send'],
    ['send_mail', 'mail.send'],
    ['WEATHER.HISTORY', 'weather.history'],
    ['calendar.create_event', 'calendar.createEvent'],
  ])('%s', (name, nearest) => {
    expect(index.suggest(name)[0]).toBe(nearest);
  });

  test('at most three, none that is not like it, none that is not allowed', () => {
    expect(index.suggest('weather').length).toBeLessThanOrEqual(3);
    expect(index.suggest('zzz')).toEqual([]);
    expect(index.suggest('')).toEqual([]);
    expect(index.suggest('__proto__')).toEqual([]);
    expect(index.suggest('weather.admin.rest', (name) => !name.includes('admin'))).not.toContain(
      'weather.admin.reset',
    );
  });

  test('a name of 10 kB is cut, not studied', () => {
    expect(index.suggest(`weather.forecast${'x'.repeat(10_000)}`).length).toBeLessThanOrEqual(3);
    expect(index.suggest('x'.repeat(10_000))).toEqual([]);
  });

  test('among ten thousand alike', () => {
    const many = new ToolIndex(
      Array.from({ length: 10_000 }, (_, i) => ({
        name: `weather.forecast.v${i}`,
        description: '',
        inputSchema: {},
      })),
    );
    expect(many.suggest('wether.forecast.v4321')[0]).toBe('weather.forecast.v4321');
  });
});

test('names keep their order', () => {
  expect(index.names).toEqual(TOOLS.map(([name]) => name));
});
