# shellcheck shell=bash
# For scripts to source: lists of sizes, as ./apsp --n takes them.

# Prints each size of a list that ./apsp has accepted, once: 5, 10, 20 and 30 of "5,10:30:10,20".
sizes_of() {
  local size start stop step
  for size in ${1//,/ }; do
    IFS=: read -r start stop step <<< "$size"
    seq "$start" "${step:-1}" "${stop:-$start}"
  done | awk '!seen[$0]++'
}

# Prints a list with one comma between two sizes.
with_commas() {
  local list
  read -rd '' -a list <<< "${1//,/ }" || true
  (IFS=,; echo "${list[*]}")
}
