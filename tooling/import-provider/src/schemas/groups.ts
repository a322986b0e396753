/**
 * Groups items that refer to each other directly or indirectly (strongly connected components, with Tarjan's
 * algorithm). A group comes before the groups that refer to it.
 */
export function groupsOf<Item>(
  items: readonly Item[],
  referredBy: (item: Item) => readonly Item[],
): readonly (readonly Item[])[] {
  const groups: Item[][] = [];
  const order = new Map<Item, number>();
  const lowest = new Map<Item, number>();
  const open = new Set<Item>();
  const visit = (item: Item): void => {
    const number = order.size;
    let low = number;
    order.set(item, number);
    open.add(item);
    for (const other of referredBy(item)) {
      if (!order.has(other)) visit(other);
      if (open.has(other)) low = Math.min(low, lowest.get(other) ?? order.get(other) ?? low);
    }
    lowest.set(item, low);
    if (low !== number) return;
    const group = [...open].slice([...open].indexOf(item));
    for (const member of group) open.delete(member);
    groups.push(group);
  };
  for (const item of items) if (!order.has(item)) visit(item);
  return groups;
}
