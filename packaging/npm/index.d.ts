/** A module's functions: those of page.c by their names, and views of its memory. Views are valid until memory grows. */
export interface Contact {
  readonly bytes: number;
  readonly packed: number;
  f64(at: number, n: number): Float64Array;
  f32(at: number, n: number): Float32Array;
  i32(at: number, n: number): Int32Array;
  text(at: number): string;
  /** f(address) with a copy of the numbers in the module's memory. */
  withNumbers<T>(numbers: ArrayLike<number>, f: (at: number) => T, type?: typeof Float64Array | typeof Float32Array | typeof Int32Array): T;
  memoryBytes(): number;
  page_version(): string;
  page_error(): string;
  page_new(): number;
  /** Every other function of page.c; one that fails throws an Error with the library's text. */
  [name: `page_${string}`]: (...args: number[]) => any;
}
/** "game": CMR and ICA; "full": all steppers and solvers. */
export function load(name?: "game" | "full"): Promise<Contact>;
