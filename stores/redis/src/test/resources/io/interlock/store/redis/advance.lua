-- Brings everything nearer to its end. KEYS as in head.lua; ARGV: the namespace, microseconds.
local by = tonumber(ARGV[2])
local function shift(key, field)
    local value = tonumber(redis.call('HGET', key, field) or 0)
    if value > 0 then
        redis.call('HSET', key, field, string.format('%.0f', value - by))
    end
end
for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    for _, field in ipairs({'granted', 'expires', 'waiters', 'evicted_at'}) do
        shift(ARGV[1] .. ':l:' .. member, field)
    end
    if redis.call('ZSCORE', KEYS[3], member) then
        redis.call('ZINCRBY', KEYS[3], -by, member)
    end
end
shift(KEYS[1], 'no_grant_before')
return {'ok'}
