import { z } from 'zod';
import { defineTool } from '../../src/index.js';
import { openShop, ShopBusy } from './documented-shop.js';

export const setPrice = defineTool({
  name: 'set_price',
  description: 'Sets the price of an item, and tells the one before.',
  input: z.object({ item: z.string().describe('like A-17'), cents: z.int().positive() }),
  output: z.object({ item: z.string(), centsBefore: z.int().nullable() }),
  timeout: '20 seconds',
  idempotent: true,
  retry: { attempts: 3, initialInterval: '1 second', when: (error) => error instanceof ShopBusy },
  concurrencyKey: ({ item }) => item,
  setup: ({ signal }) => openShop(signal),
  async run({ item, cents }, { setup: shop }) {
    return { item, centsBefore: await shop.setPrice(item, cents) };
  },
});
