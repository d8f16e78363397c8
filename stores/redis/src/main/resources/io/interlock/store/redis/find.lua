-- The leases of some keys. ARGV: the number of keys, and for each: member.

for _ = 1, number() do
    answer(read(arg()))
end
return answers
