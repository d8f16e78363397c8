-- Sets the end of leases that are still live to their ttl from now. ARGV: the number of requests, and for each: member, id, token, ttl.

local function renew(lease, id, token, ttl)
    if not matches(lease, id, token) then
        return {'gone', lease}
    elseif lease.evicted then
        return {'evicted', lease}
    elseif lease.expired then
        return {'expired', lease}
    end
    lease[EXPIRES] = text(now + ttl)
    -- Taken out first, because a full Redis refuses ZADD as the first write of a script; see leases.lua.
    redis.call('ZREM', DUE, lease[MEMBER])
    if not lease.probed then
        redis.call('ZADD', DUE, text(now + ttl + tonumber(lease[8])), lease[MEMBER])
    end
    write(lease, 'expires', lease[EXPIRES])
    return {'renewed', lease}
end

for _ = 1, number() do
    answer(renew(read(arg()), arg(), arg(), number()))
end
return answers
