-- Evicts a lease. ARGV: member, expected token, actor, reason.

local lease, expected, actor, reason = read(arg()), arg(), arg(), arg()
if not lease or lease[TOKEN] ~= expected then
    answer('mismatch')
    answer(lease)
    return answers
end
if not lease.evicted then
    lease[EVICTED_BY], lease[11], lease[12] = actor, reason, text(now)
    write(lease, 'evicted_by', actor, 'evicted_for', reason, 'evicted_at', text(now))
    redis.call('ZADD', DUE, text(lease.opens), lease[MEMBER])
end
answer('evicted')
answer(lease)
answer(text(lease.opens))
return answers
