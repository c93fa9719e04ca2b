export class ShopBusy extends Error {}

/** A shop whose first write meets another one. */
class Shop {
  readonly #prices = new Map([['A-17', 1000]]);
  #isBusy = true;

  async setPrice(item: string, cents: number): Promise<number | null> {
    const [isBusy, before = null] = [this.#isBusy, this.#prices.get(item)];
    this.#isBusy = false;
    if (isBusy) throw new ShopBusy('somebody else writes');
    this.#prices.set(item, cents);
    return before;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#prices.clear();
  }
}

export async function openShop(signal: AbortSignal): Promise<Shop> {
  signal.throwIfAborted();
  return new Shop();
}
