// What `cargo xtask agents` tells these scripts.

/** A variable that has to be set. */
export function setting(name) {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set; start these tests with: cargo xtask agents`)
  return value
}
