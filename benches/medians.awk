# The output of divan, of one run or several -> a line for each function: its name and its median in
# nanoseconds. Of several runs, the smallest; over several arguments, the geometric mean. Not every awk has
# characters of several bytes in brackets.
{
    if ($0 !~ /(├|╰)─/) next
    nested = $0 ~ /^(│| ) /
    name = $0
    sub(/^(│| )*(├|╰)─ /, "", name)
    count = split(name, cells, / *│ */)
    if (!nested) {
        part = name
        sub(/ .*/, "", part)
        function_name = part
    }
    median = cells[3]
    if (split(median, value, / /) < 2) next
    factor = value[2] == "ns" ? 1 : value[2] == "ms" ? 1000000 : value[2] == "s" ? 1000000000 : 1000
    key = function_name
    if (nested) {
        argument = cells[1]
        sub(/  +.*/, "", argument)
        key = function_name "\t" argument
    }
    found = value[1] * factor
    if (!(key in medians) || found < medians[key]) medians[key] = found
}
END {
    for (key in medians) {
        split(key, names, "\t")
        sums[names[1]] += log(medians[key])
        counts[names[1]]++
    }
    for (name in sums) printf "%s %.1f\n", name, exp(sums[name] / counts[name])
}
