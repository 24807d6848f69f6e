import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { type SchemaRefs, subschemas } from '../../core/schema-refs.ts'

interface Visit {
  readonly schema: JsonObject
  readonly order: number
  readonly next: Json[]
  lowest: number
}

/**
 * The schemas that can come back to themselves, by what stands in them and by references: Tarjan's strongly connected components, without recursion and
 * in linear time (https://doi.org/10.1137/0201010).
 */
export function cyclicSchemas(root: Json, refs: SchemaRefs): ReadonlySet<JsonObject> {
  const found = new Set<JsonObject>()
  if (!isJsonObject(root)) return found
  const orders = new Map<JsonObject, number>()
  const component: JsonObject[] = []
  const open = new Set<JsonObject>()
  const visits: Visit[] = []
  const enter = (schema: JsonObject): void => {
    const order = orders.size
    orders.set(schema, order)
    component.push(schema)
    open.add(schema)
    visits.push({ schema, order, next: nextOf(schema, refs), lowest: order })
  }
  enter(root)
  for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
    const next = visit.next.pop()
    if (next !== undefined) {
      if (!isJsonObject(next)) continue
      const order = orders.get(next)
      if (order === undefined) enter(next)
      else if (open.has(next)) {
        visit.lowest = Math.min(visit.lowest, order)
        if (next === visit.schema) found.add(next)
      }
      continue
    }
    visits.pop()
    const outer = visits.at(-1)
    if (outer !== undefined) outer.lowest = Math.min(outer.lowest, visit.lowest)
    if (visit.lowest !== visit.order) continue
    const members = component.splice(component.lastIndexOf(visit.schema))
    for (const member of members) {
      open.delete(member)
      if (members.length > 1) found.add(member)
    }
  }
  return found
}

function nextOf(schema: JsonObject, refs: SchemaRefs): Json[] {
  const target = refs.target(schema)
  return target === undefined ? [...subschemas(schema)] : [target, ...subschemas(schema)]
}
