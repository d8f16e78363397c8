-- The leases of some keys. ARGV: the number of keys, and for each: member.

local answers = {'ok', now}
for i = 1, number() do
    answers[i + 2] = read(arg())
end
return answers
