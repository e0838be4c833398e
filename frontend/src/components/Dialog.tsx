import { later } from "./later";

/** A dialog (Mantine's) on a page whose first text can be read without it. */
export const Dialog = later(() =>
  import("./Modal").then(({ OpensOnceRendered }) => OpensOnceRendered),
);
