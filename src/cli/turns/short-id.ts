const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHORT = 8;

/** Of random ids the first eight characters, where they tell one from all others here but its own sub-agents'. An id that a person gave stays. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  return new Map(
    ids.map((id) => {
      const short = id.slice(0, SHORT);
      const isUnique = ids.every(
        (other) => other === id || other.startsWith(`${id}/`) || !other.startsWith(short),
      );
      return [id, UUID.test(id) && isUnique ? short : id];
    }),
  );
}
