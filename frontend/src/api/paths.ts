import type { paths as Interim } from "./interim";
import type { paths as Real } from "./schema";

// INTERIM: what the server does not have yet.
export type paths = Real & Omit<Interim, keyof Real>;
