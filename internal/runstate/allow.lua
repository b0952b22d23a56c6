-- KEYS counter; ARGV limit. 1 when this use is within the limit, and counted; else 0.
-- Uses are counted in buckets of 5 s. The running bucket and the twelve before it cover
-- 60 to 65 s, so that no 60 s ever hold more than the limit.
local bucket = math.floor(tonumber(redis.call('TIME')[1]) / 5)
local used = 0
local h = redis.call('HGETALL', KEYS[1])
for i = 1, #h, 2 do
  if tonumber(h[i]) < bucket - 12 then
    redis.call('HDEL', KEYS[1], h[i])
  else
    used = used + tonumber(h[i + 1])
  end
end
if used >= tonumber(ARGV[1]) then
  return 0
end
redis.call('HINCRBY', KEYS[1], string.format('%.0f', bucket), 1)
redis.call('EXPIRE', KEYS[1], 70)
return 1
