-- Deletes expired leases whose lock delay is over. ARGV: the maximum number.

for _, member in ipairs(redis.call('ZRANGEBYSCORE', DUE, '-inf', text(now), 'LIMIT', 0, number())) do
    local lease = read(member)
    if not lease then
        redis.call('ZREM', DUE, member)
        redis.call('ZREM', INDEX, member)
    elseif lease.opens <= now then
        remove(lease)
        answer(lease)
    end
end

-- Recorded for the next restart: a Redis with replicas may restart as one of them, without its last leases.
local replicas = string.match(redis.call('INFO', 'replication'), '\nconnected_slaves:(%d+)')
if replicas ~= '0' and redis.call('HGET', STORE, 'replicated') ~= '1' then
    redis.call('HSET', STORE, 'replicated', '1')
end
return answers
